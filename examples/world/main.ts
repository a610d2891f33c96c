import { serve } from "odatakit/node";
import { loadWorld } from "./data.ts";
import { worldService } from "./service.ts";

const EXAMPLES: readonly string[] = [
  "/Countries?$filter=Region eq 'Europe' and Landlocked&$select=Name,Capital",
  "/Countries('JP')",
  "/Cities?$filter=CountryCode eq 'BR' and contains(tolower(Name),'são')&$orderby=Population desc&$count=true",
  "/Cities/$count?$filter=Population gt 1000000",
  "/$metadata",
];

try {
  const port = readPort(process.env["PORT"]);
  const server = await serve(worldService(loadWorld()), { port });
  const root = `${server.url}/odata`;
  console.log(`The world as an OData service: ${root}\n\nWorth trying:`);
  for (const example of EXAMPLES) console.log(`  ${root}${encodeURI(example).replaceAll("'", "%27")}`);
  console.log("\nCtrl-C ends it.");
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      void server.close().then(() => console.log("\nEnded."));
    });
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/** The port to listen on: 3000, or what the environment says. */
function readPort(text = "3000"): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new Error(`PORT=${text} is no TCP port: write a number from 0 to 65535.`);
}
