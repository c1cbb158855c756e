import * as z from 'zod/mini';
import { isJson, type Json } from './json.ts';

/** Any JSON value. A union of its kinds, as `z.json()` is, takes a hundred times as long: half a second a frame (SEC11). */
export const jsonValue = /* @__PURE__ */ z.custom<Json>(isJson, 'must be JSON');
