// node --import ./tracing.mjs, with the three packages installed beside it
import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';

// OTEL_EXPORTER_OTLP_ENDPOINT says where the collector is.
const exporter = new OTLPTraceExporter();
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] }));
