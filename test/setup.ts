import fc from "fast-check";
import { PROPERTY_SETTINGS } from "./cases.ts";

// Runs before each file of tests.
fc.configureGlobal(PROPERTY_SETTINGS);
