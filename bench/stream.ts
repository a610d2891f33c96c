/**
 * Measures a million rows, by next links: CPU time, longest pause, memory. Nothing is asserted. Arguments: the number of
 * rows, and the URL of a PostgreSQL server if the rows are there.
 */
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { deleteDatabase, makeDatabase } from "./open-database.ts";
import { measureStreams, writeStreamedFile, writeStreamedTable } from "./record/streams.ts";
import { makeFolder } from "./with-servers.ts";

const [, , rows = "1000000", server] = process.argv;
const ROUNDS = 3;
const NAME = "odatakit_stream";

if (server === undefined) {
  const file = join(makeFolder(), "orders.db");
  writeStreamedFile(file, Number(rows));
  await print(file);
} else {
  try {
    const place = await makeDatabase(server, NAME);
    await writeStreamedTable(place, Number(rows));
    await print(place);
  } finally {
    await deleteDatabase(server, NAME);
  }
}

async function print(place: string): Promise<void> {
  const program = fileURLToPath(new URL("stream-server.ts", import.meta.url));
  const streamed = await measureStreams({ place, program, args: ["--conditions=source"], rounds: ROUNDS });
  console.log(`${rows} rows\nserver  CPU ms  pause ms  first byte ms  total ms  peak MB  MB before`);
  for (const each of streamed) {
    const cells = [
      each.cpu.toFixed(0).padStart(6),
      each.pause.toFixed(1).padStart(9),
      each.first.toFixed(0).padStart(14),
    ];
    const rest = [
      each.total.toFixed(0).padStart(9),
      each.peak.toFixed(0).padStart(8),
      each.before.toFixed(0).padStart(10),
    ];
    console.log(`${each.server.padEnd(8)}${[...cells, ...rest].join(" ")}`);
  }
}
