import type { CodeOptions, DescribedService } from "odatakit/introspect";
import type { Invocation } from "../command.ts";
import type { Problem } from "../problem.ts";

/** What a pull needs to know of a database. */
export interface PulledDatabase extends CodeOptions {
  readonly described: DescribedService;
}

/** Reads the database of an invocation, with its options for tables and names, and closes it. */
export type ReadForPull = (invocation: Invocation) => Promise<PulledDatabase | readonly Problem[]>;
