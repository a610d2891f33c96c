/** The application of start-odatakit.ts, step by step: it prints the CPU time of each step in milliseconds. */
const steps: Array<readonly [step: string, cpu: number]> = [];
const taken = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
let before = 0;
const end = (step: string): void => {
  const now = taken();
  steps.push([step, now - before]);
  before = now;
};

end("Node.js itself");
const { get } = process.getBuiltinModule("node:http");
process.getBuiltinModule("node:sqlite");
end("`node:http` and `node:sqlite`");
const { Kysely } = await import("kysely");
end("import of `kysely`");
const { edm, entityType, odataService } = await import("odatakit");
end("import of `odatakit`");
const { sqlEntitySet } = await import("odatakit/kysely");
const { serve } = await import("odatakit/node");
const { sqliteDialect } = await import("odatakit/sqlite");
end("import of its other entries");
const Order = entityType("Order", {
  id: edm.int32().key(),
  customerId: edm.int32(),
  orderDate: edm.dateTimeOffset({ precision: 0 }),
  status: edm.string(),
  freight: edm.double(),
});
const db = new Kysely({ dialect: sqliteDialect(process.argv[2] ?? "") });
const service = odataService({
  prefix: "/odata",
  entitySets: [sqlEntitySet(Order, { db, table: "orders", operations: ["read"] })],
});
end("declarations and their checks");
await service.ready();
end("comparison with the database");
const { port } = await serve(service, { port: 0, host: "127.0.0.1" });
end("`serve`");
await new Promise<void>((resolve, reject) => {
  const url = `http://127.0.0.1:${String(port)}/odata/Orders(1)`;
  get(url, (response) => response.resume().on("end", resolve)).on("error", reject);
});
end("first response, with its client");
process.stdout.write(JSON.stringify(steps), () => process.exit());
