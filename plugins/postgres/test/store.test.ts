import { testPostgresStore } from './support/test-store.ts';

testPostgresStore('PostgreSQL');
