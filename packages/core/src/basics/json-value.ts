import * as z from 'zod/mini';
import { isJson, type Json } from './json.ts';

/** Any JSON value. `z.json()` is a union and takes a hundred times as long: half a second per frame (SEC11). */
export const jsonValue = /* @__PURE__ */ z.custom<Json>(isJson, 'must be JSON');
