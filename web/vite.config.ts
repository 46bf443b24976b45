import { defineConfig, type Plugin } from "vite";
import { hashOfSources } from "./tooling/sources.ts";

/** Writes build.json beside the built files: which sources they were made from. */
function stamp(): Plugin {
  return {
    name: "stamp",
    apply: "build",
    generateBundle() {
      const source = `${JSON.stringify({ sources: hashOfSources(import.meta.dirname) }, null, 2)}\n`;
      this.emitFile({ type: "asset", fileName: "build.json", source });
    },
  };
}

export default defineConfig({
  plugins: [stamp()],
  build: {
    outDir: "../src/visavis/server/static",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0, // data: addresses would need a wider content-security policy
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: {
        entryFileNames: "assets/[name]-[hash].js",
        chunkFileNames: "assets/[name]-[hash].js",
        // What the first page and a part that is loaded later share is one file, not one for each set of sharers.
        codeSplitting: { groups: [{ name: "common", minShareCount: 2, test: /\.(tsx?|m?js)$/ }] },
      },
    },
  },
  server: { proxy: { "/api": process.env["VISAVIS_SERVER"] ?? "http://127.0.0.1:8000" } },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});
