import fc from "fast-check";
import { PROPERTY_SETTINGS } from "./cases.ts";
import { takeWorkerDatabase } from "./worker-database.ts";

// Runs before each test file.
fc.configureGlobal(PROPERTY_SETTINGS);
await takeWorkerDatabase();
