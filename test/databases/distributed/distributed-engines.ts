import { ENGINES, type DatabaseEngine } from "../../engine/executors/engines.ts";
import { watching } from "./watched-database.ts";

/** PostgreSQL as if it were spread over machines: closing it fails if it got a statement that Citus refuses. */
export const DISTRIBUTED: readonly DatabaseEngine[] = ENGINES.filter(({ name }) => name === "postgres").map(
  (engine) => ({ ...engine, title: `${engine.title}, as if spread over machines`, open: watching(engine) }),
);
