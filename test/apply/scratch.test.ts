import { test } from "vitest";
import { openSales } from "./sales-model.ts";
test("x", async () => {
  const { service } = await openSales("tables", { ...( { logger: { error: (m: any, f: any) => console.log("LOG", m, f?.error ?? f), warn: console.log, info: () => {}, debug: () => {} } } as any) });
  for (const q of ["$apply=concat(filter(Id eq 4),aggregate($count as N))&$select=Id,N&$format=application/json;odata.metadata=full", "$apply=concat(aggregate($count as N),groupby((City),aggregate($count as N)))"]) {
    const r = await service.fetch(new Request(`http://h/s/Sales?${encodeURI(q)}`));
    console.log(r.status, await r.text());
  }
});
