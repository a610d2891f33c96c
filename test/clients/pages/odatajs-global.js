// The script `odatajs-latest.js` of ts-odatajs defines it.
export const { oData, deferred, utils, xml, store, cache } = globalThis.odatajs;
