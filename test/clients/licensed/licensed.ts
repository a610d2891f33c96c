import type { ClientPageOptions } from "../client-page.ts";

/** The options of a page whose script and packages are in this folder. */
export const LICENSED: ClientPageOptions = { folder: "licensed" };
