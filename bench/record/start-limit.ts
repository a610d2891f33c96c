/** The same, written by hand. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";

const database = new DatabaseSync(process.argv[2] ?? "");
const byKey = database.prepare(
  'SELECT id AS "Id", customerId AS "CustomerId", orderDate AS "OrderDate", status AS "Status", freight AS "Freight" FROM orders WHERE id = ?',
);
const server = createServer((request, response) => {
  const target = request.url ?? "";
  const id = Number(target.slice(target.indexOf("(") + 1, -1));
  response.writeHead(200, { "OData-Version": "4.0", "Content-Type": "application/json;odata.metadata=minimal" });
  response.end(JSON.stringify({ "@odata.context": "/odata/$metadata#Orders/$entity", ...byKey.get(id) }));
});
server.listen(0, "127.0.0.1", () => process.stdout.write(String((server.address() as AddressInfo).port)));
process.stdin.resume().once("end", () => process.exit());
