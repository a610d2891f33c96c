import { setFlagsFromString } from "node:v8";

/**
 * Keeps V8 from reserving more memory for new objects. A start makes many objects that stay, as for 600 tables, and V8 would
 * reserve 100 MB or more in answer, which it keeps although requests need little.
 * @returns lets V8 reserve memory again, as by default
 */
export function keepYoungGenerationSmall(): () => void {
  setFlagsFromString("--semi-space-growth-factor=1");
  return () => setFlagsFromString("--semi-space-growth-factor=2");
}
