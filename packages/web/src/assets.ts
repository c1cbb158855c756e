import { fileURLToPath } from 'node:url';

/** The built page: `index.html` and `assets/`. The same folder from the source and from the build. */
export const assetsDir: string = fileURLToPath(new URL('../dist/app', import.meta.url));
