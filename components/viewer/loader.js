export default (component) => {
  const script = document.querySelector('script[type="module"][src*="static/js/"]');
  const base = new URL(script ? "../../" : "/", script?.src ?? document.baseURI).href;
  const attached = import(new URL(component.data.bundle, base).href).then((room) => room.attach(component, base));
  attached.catch((error) => {
    console.error(error);
    component.parentElement.role = "alert";
    component.parentElement.textContent =
      "The viewer could not be loaded. Reload the page; if it fails again, tell the study's admin.";
  });
  return () => attached.then((leave) => leave(), () => {});
};
