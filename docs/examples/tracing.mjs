// node --import ./tracing.mjs, with the three packages installed next to it
import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';

// OTEL_EXPORTER_OTLP_ENDPOINT is the address of the collector.
const exporter = new OTLPTraceExporter();
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] }));
