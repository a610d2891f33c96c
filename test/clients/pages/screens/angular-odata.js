import "@angular/compiler";
import { ChangeDetectionStrategy, Component, inject, signal } from "@angular/core";
import { bootstrapApplication } from "@angular/platform-browser";
import { ODataClient, provideODataClient } from "angular-odata";
import { lastValueFrom } from "rxjs";

const TEMPLATE = `
  <h2>Products ({{ total() }})</h2>
  <table>
    <tr><th>Id</th><th>Name</th><th>Price</th><th>Category</th></tr>
    @for (product of products(); track product.Id) {
      <tr><td>{{ product.Id }}</td><td>{{ product.Name }}</td><td>{{ product.Price }}</td><td>{{ product.Category.Name }}</td></tr>
    }
  </table>
  <button (click)="more()">More</button>`;
const STYLE = `
  :host { font-family: sans-serif; }
  table { border-collapse: collapse; width: 100%; margin-bottom: 1em; }
  th, td { border-bottom: 1px solid #ccc; padding: 0.5em; text-align: left; }`;

class Products {
  products = signal([]);
  total = signal(0);
  client = inject(ODataClient);

  async more() {
    const set = this.client.entitySet("Products");
    set.query((q) => {
      q.orderBy(({ e, t }) => e().ascending(t.Id));
      q.expand({ Category: {} });
      q.skip(this.products().length);
      q.top(3);
    });
    const { entities, annots } = await lastValueFrom(set.fetch({ withCount: true }));
    this.products.update((known) => [...known, ...entities]);
    this.total.set(annots.count);
  }
}

/** Shows a list, and grows it once. */
export async function show() {
  document.querySelector("#content").innerHTML = "<shop-products></shop-products>";
  const Shown =
    Component({
      selector: "shop-products",
      template: TEMPLATE,
      styles: [STYLE],
      changeDetection: ChangeDetectionStrategy.OnPush,
    })(Products) ?? Products;
  const application = await bootstrapApplication(Shown, {
    providers: [provideODataClient({ config: { serviceRootUrl: `${location.origin}/odata/` } })],
  });
  const { instance } = application.components[0];
  await instance.more();
  await instance.more();
  application.tick();
}
