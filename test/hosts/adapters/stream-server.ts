import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { applyDelta, edm, entitySet, entityType, odataService } from "odatakit";
import { fileStore, serve } from "odatakit/node";

/** A server with one stream in a file of a folder. It tells its port, and to each message the growth of its memory in megabytes. */

const [, , directory = ""] = process.argv;
const File = entityType("File", {
  id: edm.int32().key(),
  content: edm.stream({ store: fileStore(directory), maxBytes: 2 ** 30 }),
});
let row = { id: 1, content: null as string | null };
const files = entitySet(File, {
  getByKey: () => row,
  patch: (_key, delta) => {
    row = applyDelta(File, row, delta) ?? row;
    return row;
  },
});

function megabytes(name: string): number {
  const found = new RegExp(`^${name}:\\s*(\\d+) kB$`, "m").exec(readFileSync("/proc/self/status", "utf8"));
  return Number(found?.[1]) / 1024;
}

const server = await serve(odataService({ entitySets: [files], profile: "standard" }), { port: 0 });
// Makes the present memory the peak.
writeFileSync("/proc/self/clear_refs", "5");
const before = megabytes("VmRSS");
process.on("message", () => process.send?.([megabytes("VmHWM") - before, megabytes("VmHWM")]));
process.once("disconnect", () => void server.close());
process.send?.([server.port]);
