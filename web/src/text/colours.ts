/** The colour that a name stands for, to be shown as a swatch. Pure. */

const COLOURS: Record<string, string> = {
  amber: "#ffbf00",
  aqua: "#4fc3d9",
  beige: "#e8dcc0",
  black: "#1c1c1c",
  blue: "#2f5fd0",
  bronze: "#a9713a",
  brown: "#7a4a2b",
  burgundy: "#7a1230",
  camel: "#c19a6b",
  charcoal: "#3f4449",
  copper: "#b87333",
  coral: "#ff7f6b",
  cream: "#f7f0dc",
  crimson: "#c2182f",
  cyan: "#22b8cf",
  ecru: "#e6dcc3",
  fuchsia: "#e0218a",
  gold: "#d4a72c",
  gray: "#8c9196",
  green: "#2f8f4e",
  grey: "#8c9196",
  indigo: "#3f3ba8",
  ivory: "#fbf7e6",
  khaki: "#a8a06a",
  lavender: "#b9a6e0",
  lilac: "#c3a4d8",
  lime: "#9fd12f",
  magenta: "#d61f9c",
  maroon: "#6f1a2a",
  mauve: "#b784a7",
  melange: "#a7abb0",
  mint: "#98e0c0",
  mustard: "#d9a520",
  navy: "#1d2b5c",
  nude: "#e5c5a8",
  olive: "#76792f",
  orange: "#ef7d1a",
  peach: "#ffcba4",
  pink: "#f29bbb",
  plum: "#6d2c64",
  purple: "#7b3fa8",
  red: "#cf2a2a",
  rose: "#e58aa0",
  rust: "#b0481f",
  salmon: "#f5907e",
  sand: "#d9c5a0",
  silver: "#c3c7cc",
  skin: "#e3b998",
  steel: "#71797e",
  tan: "#cda878",
  taupe: "#8b7d6f",
  teal: "#1f7f80",
  turquoise: "#35c4bd",
  violet: "#7f4fc9",
  white: "#ffffff",
  wine: "#6b1530",
  yellow: "#f2cf2e",
};
const SHADES: Record<string, string> = { dark: "black 35%", deep: "black 20%", light: "white 45%", pale: "white 55%" };

/** Whether an attribute is about colour, by the last word of its name. */
export function isColourField(name: string): boolean {
  return /colou?rs?$/i.test(name);
}

/** A background for a swatch; null for a name that is not known. */
export function swatchOf(name: string): string | null {
  const words = name.toLowerCase().split(/[^a-z]+/);
  if (words.some((word) => word.startsWith("multi")))
    return "conic-gradient(#cf2a2a, #f2cf2e, #2f8f4e, #2f5fd0, #cf2a2a)";
  const base = COLOURS[words.join("")] ?? words.map((word) => COLOURS[word]).find((found) => found !== undefined);
  if (!base) return null;
  const shade = words.map((word) => SHADES[word]).find((found) => found !== undefined);
  return shade ? `color-mix(in oklab, ${base}, ${shade})` : base;
}
