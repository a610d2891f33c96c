/** The used part of the CSDL XML reader of the OData committee. */
declare module "odata-csdl" {
  export function xml2json(
    xml: string,
    options: { readonly strict: boolean; readonly annotations: boolean; readonly messages: unknown[] },
  ): Record<string, unknown>;
}
