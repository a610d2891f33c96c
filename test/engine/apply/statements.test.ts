import { join } from "node:path";
import { expect, test } from "vitest";
import { ENGINES } from "../executors/engines.ts";
import { openSales } from "./sales-model.ts";

/** The main shapes of pipelines. */
const TARGETS: readonly string[] = [
  "$apply=aggregate(Units with sum as U,Stock with sum as S,Amount with average as A,$count as N)",
  "$apply=groupby((City),aggregate(Weight with sum as W,Took with sum as T))/filter(W gt 1)&$orderby=W desc&$top=2&$count=true",
  "$apply=filter(Units gt 0)/groupby((Item/Name,Item/Kind/Label))",
  "$apply=compute(year(Day) as Y)/groupby((Y),filter(Paid)/aggregate(City with countdistinct as D,$count as N))",
  "$apply=groupby((City),topcount(1,Units)/aggregate(Amount with max as M))",
  "$apply=orderby(Units desc)/top(2)/aggregate(Status with min as S,At with max as L)",
  "$apply=topcount(2,Amount)&$select=Id",
  "$compute=Amount mul 2 as Twice&$filter=Twice gt 1&$select=Id,Twice&$orderby=Twice",
];

test.each(ENGINES)(
  "$title evaluates each pipeline with one statement, and one for the total",
  async ({ name, title }) => {
    const found: string[] = [];
    const onStatement = ({ sql }: { readonly sql: string }): unknown => found.push(sql);
    const { service, close } = await openSales(title, { onStatement } as never);
    const texts: string[] = [];
    for (const target of TARGETS) {
      found.length = 0;
      const response = await service.fetch(new Request(`http://service.example/s/Sales?${encodeURI(target)}`));
      expect(response.status).toBe(200);
      texts.push(`-- ${target}\n${found.map((sql) => `${sql};\n`).join("")}`);
    }
    await close();
    await expect(texts.join("\n")).toMatchFileSnapshot(join(import.meta.dirname, "statements", `${name}.sql`));
  },
);

const NESTED = `${"round(".repeat(12)}Weight div 2 mul 2${")".repeat(12)}`;

test.each(ENGINES)("$title plans nested computations without repeating them", async ({ title }) => {
  const { service, close } = await openSales(title);
  const target = `$compute=${NESTED} as W&$filter=W ge 1&$orderby=W,Id&$select=Id,W`;
  const response = await service.fetch(new Request(`http://service.example/s/Sales?${encodeURI(target)}`));
  expect([response.status, await response.json()]).toEqual([200, expect.anything()]);
  await close();
});
