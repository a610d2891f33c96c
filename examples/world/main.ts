import { fileURLToPath } from "node:url";
import type { Kysely } from "kysely";
import { serve, type RunningServer } from "odatakit/node";
import { openWorld, type Progress, type WorldDatabase } from "./database.ts";
import { worldService } from "./service.ts";

const DEFAULT_FILE = fileURLToPath(new URL("world.db", import.meta.url));

const EXAMPLES: readonly string[] = [
  "/Countries?$filter=Region eq 'Europe' and Landlocked&$select=Name,Capital",
  "/Countries?$filter=Currencies/any(c: c/Code eq 'EUR')&$select=Name,Currencies",
  "/Countries('JP')",
  "/Countries?$expand=Cities($filter=Population gt 1000000;$orderby=Population desc;$top=3),Borders($select=Name)&$top=10",
  "/Countries?$filter=Cities/any(c: c/Population gt 10000000)&$select=Name",
  "/Countries('PT')/Borders",
  "/Cities?$filter=contains(tolower(Name),'são')&$expand=Country($select=Name)&$orderby=Population desc&$count=true",
  "/Cities?$search=york NOT new&$select=Name,CountryCode",
  "/Cities/$count?$filter=Population gt 1000000",
  "/Countries?$apply=groupby((Region),aggregate(Area with sum as Area,$count as Count))&$orderby=Area desc",
  "/Trips?$expand=Stops($orderby=Position;$expand=City),Countries($select=Name)",
  "/Me?$expand=Home($select=Name)",
  "/$metadata",
  "/openapi.json",
];

const TRIP = { Title: "Lisbon to Porto", Stops: [{ Position: 1, Place: "Lisbon", CityId: 2267057 }] };

try {
  const port = readPort(process.env["PORT"]);
  const db = await openWorld(process.env["WORLD_DB"] ?? DEFAULT_FILE, progressOf(process.stdout));
  const server = await serve(worldService(db, true), { port });
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      void end(server, db);
    });
  }
  const root = `${server.url}/odata`;
  console.log(`Look at the world in a browser: ${root}/explorer`);
  console.log(`The world as an OData service: ${root}\n\nWorth trying:`);
  for (const example of EXAMPLES) console.log(`  ${root}${encodeURI(example).replaceAll("'", "%27")}`);
  console.log(`\nIn a browser, to read and to try: ${root}/openapi`);
  console.log("\nTrips are yours to write:");
  console.log(`  curl ${root}/Trips -H "Content-Type: application/json" -d '${JSON.stringify(TRIP)}'`);
  console.log("\nCtrl-C ends it.");
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function end(server: RunningServer, db: Kysely<WorldDatabase>): Promise<void> {
  await server.close();
  await db.destroy();
  console.log("\nEnded.");
}

/** A bar on a terminal, one line elsewhere. */
function progressOf(output: typeof process.stdout): Progress {
  const width = 40;
  return (rows, total) => {
    if (output.isTTY) {
      const done = Math.round((rows / total) * width);
      output.write(`\rLoading the world  ${"█".repeat(done)}${"░".repeat(width - done)}  ${rows} of ${total}`);
    }
    if (rows === total) output.write(output.isTTY ? "\n\n" : `Loaded ${total} rows.\n`);
  };
}

/** Returns the port to listen on: the one of the environment, or 3000. */
function readPort(text = "3000"): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new Error(`PORT=${text} is no TCP port: write a number from 0 to 65535.`);
}
