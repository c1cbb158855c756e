import * as z from 'zod';

const demandsSchema = z.object({
  elicitations: z
    .array(z.object({ mode: z.literal('url'), message: z.string(), url: z.string(), elicitationId: z.string() }))
    .max(10),
});

/** An address that people must open before a call can continue. */
export type UrlDemand = z.infer<typeof demandsSchema>['elicitations'][number];

/** Reads the data of the error with which a server demands that; empty if it cannot be read. */
export function readDemands(data: unknown): readonly UrlDemand[] {
  return demandsSchema.safeParse(data).data?.elicitations ?? [];
}
