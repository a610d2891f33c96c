import { afterAll, describe, expect, test } from "vitest";
import { nodeDoor as door, ORIGIN, url } from "../../service/http/doors.ts";
import { FORMS, openSales } from "./sales-model.ts";

const opened = await Promise.all(FORMS.map(async (form) => ({ form, ...(await openSales(form)) })));
afterAll(async () => {
  await Promise.all(opened.map(({ close }) => close()));
});

type Options = Readonly<Record<string, string>>;
const CASES: ReadonlyArray<readonly [sentence: string, path: string, options: Options, context: string, text: string]> =
  [
    [
      "a single related entity has computed values",
      "Sales",
      { $select: "Id", $expand: "Item($compute=Rate mul 2 as R,Kind/Label as L;$select=R,L)", $top: "2" },
      "Sales(Id,Item(R,L))",
      `"value":[{"Id":1,"Item":{"@odata.id":"${ORIGIN}/s/Items(1)","R@odata.type":"#Decimal","R":3,"L":"x"}},{"Id":2,"Item":{"@odata.id":"${ORIGIN}/s/Items(2)","R@odata.type":"#Decimal","R":0.5,"L":null}}]`,
    ],
    [
      "names of computed values are in the nested options",
      "Items",
      {
        $select: "Id",
        $expand: "Sales($compute=Units add 1 as V;$filter=V gt 1;$orderby=V desc;$select=Id,V;$count=true;$top=1)",
      },
      "Items(Id,Sales(Id,V))",
      '"value":[{"Id":1,"Sales@odata.count":2,"Sales":[{"Id":1,"V@odata.type":"#Int64","V":4}]},' +
        '{"Id":2,"Sales@odata.count":1,"Sales":[{"Id":2,"V@odata.type":"#Int64","V":2}]},{"Id":3,"Sales@odata.count":0,"Sales":[]}]',
    ],
    [
      "an entity with computed values is expanded further",
      "Sales(1)",
      {
        $select: "Id",
        $expand: "Item($compute=Rate add 1 as R;$select=Name,R;$expand=Kind($compute=Id add 1 as J;$select=J))",
      },
      "Sales(Id,Item(Name,R,Kind(J)))/$entity",
      `"@odata.id":"${ORIGIN}/s/Sales(1)","Id":1,"Item":{"@odata.id":"${ORIGIN}/s/Items(1)","Name":"Cup","R@odata.type":"#Decimal","R":2.5,"Kind":{"@odata.id":"${ORIGIN}/s/Kinds(1)","J@odata.type":"#Int64","J":2}}`,
    ],
    [
      "without $select, related entities have all properties and the computed values",
      "Sales",
      { $select: "Id", $expand: "Item($compute=Name as N)", $filter: "Id eq 4 or Id eq 5" },
      "Sales(Id,Item(*,N))",
      '"value":[{"Id":4,"Item":null},{"Id":5,"Item":{"Id":3,"Name":"Pot","KindId":null,"Rate":null,"N":"Pot"}}]',
    ],
    [
      "entities and related entities have computed values at once",
      "Sales",
      { $compute: "Units mul 2 as D", $select: "D", $expand: "Item($compute=Id mul 2 as D;$select=D)", $top: "1" },
      "Sales(D,Item(D))",
      `"value":[{"@odata.id":"${ORIGIN}/s/Sales(1)","D@odata.type":"#Int64","D":6,"Item":{"@odata.id":"${ORIGIN}/s/Items(1)","D@odata.type":"#Int64","D":2}}]`,
    ],
  ];

describe.each(opened)("$form", ({ service }) => {
  const send = door.to(service);
  test.each(CASES)("%s", async (_sentence, path, options, context, text) => {
    const answer = await send(url(`/s/${path}`, options));
    expect({ status: answer.status, text: answer.text }).toEqual({
      status: 200,
      text: `{"@odata.context":"${ORIGIN}/s/$metadata#${context}",${text}}`,
    });
  });
});
