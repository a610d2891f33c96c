import { ShopService } from "./client/ShopService";

interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly data: never;
}

const JSON_HEADERS = { Accept: "application/json", "Content-Type": "application/json" };

/** The configuration of a request, which the application and its HTTP client agree on. */
interface RequestConfig {
  readonly headers?: Readonly<Record<string, string>>;
}

async function send(method: string, url: string, data?: unknown, config: RequestConfig = {}): Promise<Answer> {
  const body = data === undefined ? {} : { body: JSON.stringify(data) };
  const response = await fetch(url, { method, headers: { ...JSON_HEADERS, ...config.headers }, ...body });
  const text = await response.text();
  const value = (text === "" ? undefined : JSON.parse(text)) as never;
  return { status: response.status, statusText: response.statusText, headers: {}, data: value };
}

const http = {
  retrieveBigNumbersAsString: () => undefined,
  get: (url: string) => send("GET", url),
  post: (url: string, data: unknown) => send("POST", url, data),
  put: (url: string, data: unknown) => send("PUT", url, data),
  patch: (url: string, data: unknown, config?: RequestConfig) => send("PATCH", url, data, config),
  delete: (url: string, config?: RequestConfig) => send("DELETE", url, undefined, config),
};

/** Uses the client that odata2ts generated from `$metadata`. Prints one JSON text. */
async function use(url: string): Promise<unknown> {
  const service = new ShopService(http as never, url);
  const list = await service.Products().query((builder, product) =>
    builder
      .select("Id", "Name")
      .filter(product.Name.contains("1").and(product.Price.gt(20)))
      .orderBy(product.Id.desc())
      .expand("Category")
      .top(2)
      .count(),
  );
  const one = await service.Products(3).query();
  const created = await service.Products().create({ Name: "New", Price: 5.5, IsInStock: true } as never);
  const changed = await service.Products(2).patch({ Name: "Changed" });
  const deleted = await service.Products(4).delete();
  const next = await service.Products().query((builder, product) => builder.orderBy(product.Id.asc()).skip(2).top(2));
  const found = await service.Products().query((builder) => builder.search("product 05"));
  const read = await service.Products(8).query();
  const tag = { headers: { "If-Match": (read.data as { "@odata.etag": string })["@odata.etag"] } };
  const guarded = [
    await service.Products(8).patch({ Name: "Eight" }, tag as never),
    await service.Products(8).patch({ Name: "Late" }, tag as never),
    await service.Products(8).delete(tag as never),
  ];
  await service.Products(3).Discount({ percent: 50 });
  const discounted = await service.Products(3).query();
  const restocked = await service.Restock({ categoryId: 1 });
  const replaced = await service.Products(5).update({ Name: "Replaced", Price: 5, IsInStock: true } as never);
  const after = await service.Products(6).PriceAfter({ percent: 10 });
  const highest = await service.Products().HighestId();
  const above = await service.CountAbove({ price: 50 });
  return {
    list: list.data,
    one: one.data,
    created: created.data,
    statuses: [created.status, changed.status, deleted.status],
    guarded: guarded.map(({ status }) => status),
    above: above.data,
    next: next.data,
    found: found.data,
    discounted: discounted.data.Price,
    restocked: restocked.data,
    replaced: [replaced.status, replaced.data],
    after: after.data,
    highest: highest.data,
  };
}

use(process.argv[2] ?? "").then(
  (result) => console.log(JSON.stringify(result)),
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
