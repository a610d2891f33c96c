/** The server written by hand, and the package that an application of the library imports itself. */
import "kysely";

await import(new URL("start-limit.mjs", import.meta.url).href);
