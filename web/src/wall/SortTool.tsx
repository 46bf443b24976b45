/** The order of the pictures: best match, price, date. */
import { hung, hangAnew, sort, source, wantedSort } from "../state/wall";
import { busy, collection, command, revise, wishes } from "../state/talk";
import { attributeName } from "../text/words";

interface Order {
  value: string;
  label: string;
}

const BY_PRICE: Order[] = [
  { value: "price asc", label: "Price, low first" },
  { value: "price desc", label: "Price, high first" },
];
const BY_DATE: Order[] = [
  { value: "taken desc", label: "Newest first" },
  { value: "taken asc", label: "Oldest first" },
];

export function SortTool() {
  const talking = source.value.kind === "turn";
  if (!talking && source.value.kind !== "browse") return null;
  const orders = [
    ...(hung.value.some((one) => one.price != null) ? BY_PRICE : []),
    ...(hung.value.some((one) => one.taken) ? BY_DATE : []),
  ];
  const wish = wishes.value.find((one) => one.kind === "sort" && one.active);
  const asked = wish && `${wish.attribute} ${wish.text === "descending" ? "desc" : "asc"}`;
  const now = talking ? (asked ?? "none") : sort.value;
  if (orders.length === 0 && now === "none") return null;
  const known = orders.some((one) => one.value === now) || now === "none";
  const choose = (value: string): void => {
    if (!talking) {
      wantedSort.value = value;
      hangAnew(collection.value ?? "");
    } else if (value !== "none") void command([`sort ${value}`], "");
    else if (wish) void revise([`remove ${wish.id}`]);
  };
  return (
    <label class="sort-tool">
      <span class="visually-hidden">Order</span>
      <select value={now} disabled={busy.value} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="none">{talking ? "Best match" : "Mixed"}</option>
        {orders.map((one) => (
          <option key={one.value} value={one.value}>
            {one.label}
          </option>
        ))}
        {!known && wish && (
          <option value={now}>
            {attributeName(wish.attribute)}, {wish.text}
          </option>
        )}
      </select>
    </label>
  );
}
