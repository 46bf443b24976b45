/* Runs before the first paint, so that a chosen theme never flashes in the other one. */
try {
  var theme = localStorage.getItem("visavis.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch (error) {
  /* storage may be forbidden: the system's theme it is */
}
