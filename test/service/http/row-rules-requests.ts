import { headersOf, type HeaderTable, type Service } from "./doors.ts";
import { DATA, makeService, type Asked, type Style } from "./row-rules-model.ts";

/** Reads of every kind that mention a set with a rule: their responses are as if hidden rows did not exist. */
export const READS: Readonly<Record<string, readonly string[]>> = {
  collection: ["/Customers", "/Orders", "/Lines", "/Orders?$top=2&$skip=1", "/Orders?$top=0&$count=true"],
  "@odata.count and next links": [
    "/Customers?$count=true",
    "/Customers?$count=true&$skip=2",
    "/Lines?$count=true",
    "/Lines?$skip=3&$count=true",
  ],
  $count: ["/Customers/$count", "/Orders/$count", "/Orders/$count?$filter=Total gt 4", "/Lines/$count"],
  key: ["/Customers(1)", "/Customers(2)", "/Customers(99)", "/Orders(10)", "/Orders(11)", "/Orders(13)", "/Lines(101)"],
  property: ["/Customers(1)/Name", "/Customers(2)/Name", "/Orders(11)/Title", "/Customers(4)/Region"],
  $value: ["/Customers(1)/Name/$value", "/Customers(2)/Name/$value", "/Lines(101)/Text/$value"],
  "$filter, $orderby, $select": [
    "/Customers?$filter=Region ne 'east'",
    "/Customers?$filter=not (Region eq 'east')",
    "/Orders?$orderby=Total desc,Title",
    "/Orders?$select=Title&$orderby=Total desc",
    "/Orders?$filter=Id in (10,11,12,13)&$select=Id",
  ],
  "paths to one": [
    "/Customers?$filter=Boss/Name eq 'Bob'",
    "/Customers?$filter=Boss eq null",
    "/Customers?$filter=Boss ne null&$orderby=Boss/Name desc",
    "/Customers?$filter=Boss/Boss/Id eq 1",
    "/Customers?$orderby=Boss/Name,Id",
    "/Orders?$filter=Customer/Boss/Name eq 'Bob' or Customer/Name eq 'Gus'",
    "/Lines?$filter=Order/Total gt 4",
    "/Lines?$filter=Order eq null",
    "/Lines?$orderby=Order/Title,Id",
  ],
  "any, all, $count of a collection": [
    "/Customers?$filter=Orders/any()",
    "/Customers?$filter=Orders/any(o:o/Total gt 6)",
    "/Customers?$filter=Orders/all(o:o/Total lt 7)",
    "/Customers?$filter=Reports/$count eq 1",
    "/Customers?$filter=Reports/any(r:r/Region ne 'east')",
    "/Customers?$filter=Reports/any(r:r/Orders/any(o:o/Total eq 7))",
    "/Customers?$orderby=Reports/$count desc,Id",
    "/Orders?$filter=Lines/any(l:l/IsSecret)",
    "/Orders?$filter=Lines/$count eq 1",
  ],
  $root: [
    "/Orders?$filter=Total eq $root/Orders(11)/Total",
    "/Orders?$filter=Total ge $root/Orders(12)/Total",
    "/Lines?$filter=$root/Customers(2)/Name ne null",
    "/Lines?$filter=$root/Lines(101)/Text eq null",
    "/Customers?$filter=$root/Customers(3)/Boss/Name eq 'Bob'",
  ],
  $search: [
    "/Customers?$search=west",
    "/Customers?$search=east&$count=true",
    "/Lines?$search=true",
    "/Orders?$search=e",
  ],
  $expand: [
    "/Customers?$expand=Orders",
    "/Customers?$expand=Boss,Reports",
    "/Customers(1)?$expand=Orders($expand=Lines),Reports($expand=Orders)",
    "/Orders?$expand=Customer($expand=Boss)",
    "/Orders(10)?$expand=Lines",
    "/Lines?$expand=Order($expand=Customer)",
    "/Customers?$expand=Orders($select=Title)",
    "/Customers(3)?$expand=*",
  ],
  "options of $expand": [
    "/Customers?$expand=Orders($filter=Total gt 4)",
    "/Customers?$expand=Reports($orderby=Name desc;$top=1)",
    "/Customers?$expand=Reports($skip=1;$top=1;$orderby=Id)",
    "/Customers(1)?$expand=Reports($count=true;$top=1)",
    "/Customers?$expand=Orders($count=true)",
    "/Customers?$expand=Reports/$count",
    "/Orders?$expand=Lines/$count($filter=contains(Text,'o'))",
    "/Customers(1)?$expand=Orders/$ref",
    "/Customers?$expand=Reports($search=west)",
    "/Customers?$expand=Boss($filter=Name eq 'Bob')",
    "/Customers?$expand=Reports($filter=Boss/Name eq 'Ann')",
    "/Customers?$expand=Reports($filter=Orders/any();$orderby=Orders/$count desc,Id)",
    "/Customers?$expand=Orders($filter=$root/Customers(2)/Name eq 'Bob')",
  ],
  $levels: ["/Customers?$expand=Reports($levels=3)", "/Customers(7)?$expand=Boss($levels=max)"],
  navigation: [
    "/Customers(1)/Orders",
    "/Customers(1)/Reports?$count=true",
    "/Customers(1)/Reports/$count",
    "/Customers(2)/Reports",
    "/Customers(2)/Orders/$count",
    "/Customers(3)/Boss",
    "/Customers(5)/Boss",
    "/Customers(1)/Reports(2)",
    "/Customers(1)/Reports(5)",
    "/Orders(10)/Lines?$top=1",
    "/Orders(11)/Lines",
    "/Lines(102)/Order",
  ],
  $ref: [
    "/Customers(1)/Reports/$ref",
    "/Customers(3)/Boss/$ref",
    "/Customers(5)/Boss/$ref",
    "/Customers(2)/Orders/$ref",
  ],
  operations: [
    "/Orders/Everything()",
    "/Orders/First(Id=10)",
    "/Orders/First(Id=11)",
    "/Orders(10)/LinesOf()",
    "/Orders(12)/LinesOf()",
  ],
};

const NOBODY: Asked = { customers: 0, orders: 0, lines: 0 };

/** The parts of a response that a client sees. */
export interface Told {
  readonly status: number;
  readonly headers: HeaderTable;
  readonly text: string;
}

/** Sends a request of a user. */
export async function ask(
  service: Service,
  user: string | null,
  target: string,
  method = "GET",
  body?: object,
): Promise<Told> {
  const headers: Record<string, string> = { host: "service.example" };
  if (user !== null) headers["x-user"] = user;
  if (body !== undefined) headers["content-type"] = "application/json";
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await service.fetch(new Request(`http://service.example${target}`, init));
  return { status: response.status, headers: headersOf(response), text: await response.text() };
}

/** Makes a service whose rules hide rows, and counts the calls of the rules. */
export function guarded(style: Style, more: Partial<Parameters<typeof makeService>[0]> = {}) {
  const asked: Asked = { ...NOBODY };
  return { asked, ...makeService({ style, data: DATA, asked, ...more }) };
}
