import { afterAll, test } from "vitest";
import { openSales } from "./sales-model.ts";
const QUERIES = [
  "$apply=groupby((City),aggregate(Units with sum as U,$count as N))/filter(U gt 1)&$orderby=N desc&$top=2&$count=true",
  "$apply=filter(Units gt 0)/groupby((Item/Name),aggregate(Amount with average as A,Stock with sum as S))",
  "$apply=compute(year(Day) as Y)/groupby((Y),filter(Paid)/aggregate(Weight with max as W,City with countdistinct as D))",
  "$apply=groupby((City),topcount(1,Units))/aggregate(Took with sum as T)",
  "$apply=orderby(Units desc)/skip(1)/top(2)&$select=Id",
  "$apply=aggregate(At with min as A,Status with max as S)",
];
const texts: string[] = [];
const { service, close } = await openSales("tables", { onStatement: (s: any) => texts.push(s.sql) } as never);
afterAll(close);
test("x", async () => {
  for (const q of QUERIES) {
    texts.length = 0;
    const r = await service.fetch(new Request(`http://h/s/Sales?${encodeURI(q)}`));
    console.log(r.status, (await r.text()).slice(0, 300), "\n", q, "\n" + texts.join("\n"));
  }
});
