import { any, desc } from "@sap-cloud-sdk/odata-v4";
import { BigNumber } from "bignumber.js";
import { batch, changeset } from "./shop/BatchRequest";
import { shop } from "./shop/service";

/** The generated client and this file import different declarations of one class. */
const decimal = (value: number): never => new BigNumber(value) as never;

/** Uses the client that the SAP Cloud SDK generated from `$metadata`. Prints one JSON text. */
async function use(url: string): Promise<unknown> {
  const destination = { url };
  const { productsApi, categoriesApi, operations } = shop();
  const { schema } = productsApi;
  const list = await productsApi
    .requestBuilder()
    .getAll()
    .filter(schema.PRICE.greaterThan(decimal(50)), schema.IS_IN_STOCK.equals(true))
    .orderBy(desc(schema.ID))
    .expand(schema.CATEGORY)
    .top(2)
    .execute(destination);
  const next = await productsApi.requestBuilder().getAll().orderBy(desc(schema.ID)).skip(2).top(2).execute(destination);
  const found = await productsApi
    .requestBuilder()
    .getAll()
    .addCustomQueryParameters({ $search: encodeURIComponent("product 05") })
    .execute(destination);
  const count = await productsApi.requestBuilder().getAll().count().execute(destination);
  const categories = await categoriesApi
    .requestBuilder()
    .getAll()
    .filter(categoriesApi.schema.PRODUCTS.filter(any(schema.ID.equals(3))))
    .execute(destination);
  const created = await productsApi
    .requestBuilder()
    .create(productsApi.entityBuilder().name("New").price(decimal(5.5)).isInStock(true).build())
    .execute(destination);
  const second = await productsApi.requestBuilder().getByKey(2).execute(destination);
  const stale = await productsApi.requestBuilder().getByKey(2).execute(destination);
  second.name = "Changed";
  const changed = await productsApi.requestBuilder().update(second).execute(destination);
  stale.name = "Too late";
  const conflict = await productsApi
    .requestBuilder()
    .update(stale)
    .execute(destination)
    .then(
      () => null,
      (error: { rootCause?: { response?: { status?: number } }; cause?: { response?: { status?: number } } }) =>
        (error.rootCause ?? error.cause)?.response?.status,
    );
  const fourth = await productsApi.requestBuilder().getByKey(4).execute(destination);
  await productsApi.requestBuilder().delete(fourth).execute(destination);
  const above = await operations.countAbove({ price: decimal(50) }).execute(destination);
  const restocked = await operations.restock({ categoryId: 1 }).execute(destination);
  const fifth = await productsApi.requestBuilder().getByKey(5).execute(destination);
  fifth.name = "Changed in a batch";
  const [read, saved] = await batch(
    productsApi.requestBuilder().getByKey(1),
    changeset(
      productsApi.requestBuilder().update(fifth),
      productsApi
        .requestBuilder()
        .create(productsApi.entityBuilder().name("Added").price(decimal(1)).isInStock(true).build()),
    ),
  ).execute(destination);
  return {
    list: list.map(({ id, name, price, category }) => [id, name, price?.toString(), category?.name]),
    count: String(count),
    categories: categories.map(({ name }) => name),
    created: created.id,
    changed: changed.name,
    conflict,
    above,
    next: next.map(({ id }) => id),
    found: found.map(({ name }) => name),
    restocked,
    batch: [read?.isSuccess(), saved?.isSuccess()],
  };
}

use(process.argv[2] ?? "").then(
  (result) => console.log(JSON.stringify(result)),
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
