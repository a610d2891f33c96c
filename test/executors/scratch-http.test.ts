import { describe, expect, test } from "vitest";
import { ENGINES } from "./engines.ts";
import { thingRows } from "./thing-rows.ts";
import { thingServices } from "./things.ts";

const TARGETS = [
  "$apply=aggregate($count as N)",
  "$apply=groupby((Name))",
  "$apply=groupby((Level),aggregate(Count with sum as Total,Price with average as Mean,$count as N))",
  "$apply=groupby((Level),aggregate(Count with sum as Total))/filter(Total gt 100)&$orderby=Total desc",
  "$apply=groupby((Level,Flag),aggregate(Big with sum as B,$count as N))&$orderby=N desc,Level&$count=true&$top=3",
  "$apply=groupby((Home/City),aggregate($count as N))",
  "$apply=groupby((Home/Geo/Name,Home/City),aggregate($count as N))&$orderby=N desc",
  "$apply=filter(Count gt 5)/groupby((Day),aggregate(Cost with sum as C))&$orderby=C desc&$top=2",
  "$apply=topcount(5,Count)&$select=Id,Count",
  "$apply=orderby(Count desc)/top(4)&$select=Id,Count",
  "$apply=orderby(Count desc)/skip(2)/top(4)/aggregate(Count with sum as S)",
  "$apply=groupby((Level),topcount(2,Count))&$select=Id,Level,Count",
  "$apply=groupby((Level),topcount(2,Count)/aggregate(Count with sum as S))",
  "$apply=groupby((Level),filter(Count gt 5)/aggregate($count as N,Count with sum as S,Price with min as P))",
  "$apply=compute(Count mul 2 as Twice)/groupby((Twice),aggregate($count as N))&$orderby=Twice",
  "$apply=compute(year(At) as Y,month(At) as M)/groupby((Y,M),aggregate(Count with sum as S))",
  "$apply=compute(Price add 1 as P1)&$select=Id,P1&$top=5",
  "$apply=groupby((Level),aggregate($count as N))/compute(N mul 2 as N2)",
  "$apply=groupby((Level),aggregate($count as N))/compute(N mul 2 as N2)/filter(N2 gt 10)&$orderby=N2 desc",
  "$apply=groupby((Level,Flag),aggregate($count as N))/groupby((Flag),aggregate(N with max as Most,N with sum as All))",
  "$apply=concat(aggregate($count as N),groupby((Level),aggregate($count as N)))",
  "$apply=groupby((Flag),aggregate(Name with countdistinct as D,Name with min as A,Name with max as Z))",
  "$compute=Count mul 2 as Twice&$select=Id,Twice&$top=3",
  "$compute=concat(Name,'x') as X,At add duration'PT1H' as L,Price div 3 as Q&$select=Id,X,L,Q",
  "$compute=Count mul 2 as Twice&$filter=Twice gt 100&$orderby=Twice desc",
  "$apply=groupby((Home/City))&$count=true&$top=2&$skip=1",
  "$apply=groupby((Note/Text),aggregate(Note/Price with sum as P))",
  "$apply=filter(Id lt 0)/aggregate(Count with sum as S,$count as N)",
  "$apply=filter(Id lt 0)/groupby((Level))",
  "$apply=aggregate(Count mul 2 with sum as S,Price mul Price with average as Q,length(Name) with max as L)",
  "$apply=groupby((Rank),aggregate(Rank with min as A,Stage with max as B))",
  "$apply=aggregate(1 with sum as One,Ratio with average as R)",
  "$apply=compute(Flag and Active as B)/groupby((B),aggregate($count as N))",
  "$apply=compute(1 as One)/groupby((One),aggregate($count as N))",
  "$apply=groupby((Secret),aggregate($count as N))",
];
describe.each(ENGINES)("$title", (engine) => {
  test("answers", { timeout: 300_000 }, async () => {
    const { memory, database, close } = await thingServices(engine, thingRows(60, 3), { defaults: { applyEnabled: true, computeEnabled: true } as any });
    const faults: string[] = [];
    for (const target of TARGETS) {
      const url = `http://service.example/Things?${encodeURI(target).replaceAll("+", "%2B")}`;
      const [a, b] = await Promise.all([memory, database].map(async (s) => { const r = await s.fetch(new Request(url)); return `${r.status} ${await r.text()}`; }));
      if (a !== b) faults.push(`${target}\n  memory ${a?.slice(0, 900)}\n  sql    ${b?.slice(0, 900)}`);
      else if (!a?.startsWith("200")) faults.push(`${target}\n  both ${a?.slice(0, 300)}`);
    }
    await close();
    expect(faults.join("\n")).toBe("");
  });
});
