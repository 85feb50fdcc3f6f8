// The plane that is moved and scaled: wheel, drag, pinch; and a map of it in the corner.
import { s, setAttr } from './dom.js';

const NEAR = 0.62, MIDDLE = 0.36;
const LEAST = 0.02, MOST = 3;
const MARGIN = 34;
const GLIDE = 400;  // milliseconds, a little more than the style sheet says
const TREMBLE = 4;  // pixels that a finger moves in a click

export class Stage {
  /** @param {HTMLElement} element the window @param {HTMLElement} world the plane @param {SVGElement} map
   * @param {(zoom: string | null) => void} moved called after every move, with the new zoom when that changed */
  constructor(element, world, map, moved) {
    Object.assign(this, { element, world, map, moved, x: 0, y: 0, k: 1, top: 0, width: 1, height: 1, zoom: '', sight: null });
    this.pointers = new Map();
    this.measure();
    new ResizeObserver(() => this.measure()).observe(element);  // asked once for each size, since asking lays out
    element.addEventListener('wheel', event => this.wheel(event), { passive: false });
    element.addEventListener('pointerdown', event => this.press(event));
    element.addEventListener('pointermove', event => this.drag(event));
    for (const kind of ['pointerup', 'pointercancel']) element.addEventListener(kind, event => this.up(event));
    map.addEventListener('pointerdown', event => { map.setPointerCapture(event.pointerId); this.halt(); this.jump(event); });
    map.addEventListener('pointermove', event => { if (map.hasPointerCapture(event.pointerId)) this.jump(event); });
  }

  measure() {
    this.across = this.element.clientWidth;
    this.down = this.element.clientHeight;
    this.moved(null);
  }

  wheel(event) {
    if (event.target.closest('#sheet,.box')) return;
    event.preventDefault();
    this.halt();
    if (event.shiftKey) { this.move(-event.deltaY - event.deltaX, 0); return; }
    const box = this.element.getBoundingClientRect();
    const by = Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0016));
    this.zoomAt(by, event.clientX - box.left, event.clientY - box.top);
  }

  press(event) {
    if (event.button > 0 || event.target.closest('button:not(.state),.box,#map,#sheet,.legend')) return;
    this.halt();
    this.pointers.set(event.pointerId, event);
    this.ground = !event.target.closest('.card');
  }

  drag(event) {
    const last = this.pointers.get(event.pointerId);
    if (!last) return;
    if (!event.buttons) { this.up(event); return; }  // let go of outside
    const still = Math.abs(event.clientX - last.clientX) + Math.abs(event.clientY - last.clientY) < TREMBLE;
    if (still && !this.dragging) return;
    this.dragging = true;  // from now on it is no click, wherever it began
    this.element.classList.add('drag');
    this.element.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, event);
    const other = [...this.pointers.values()].find(pointer => pointer.pointerId !== event.pointerId);
    if (!other) { this.move(event.clientX - last.clientX, event.clientY - last.clientY); return; }
    const box = this.element.getBoundingClientRect();
    const far = pointer => Math.max(1, Math.hypot(pointer.clientX - other.clientX, pointer.clientY - other.clientY));
    const x = (event.clientX + other.clientX) / 2 - box.left, y = (event.clientY + other.clientY) / 2 - box.top;
    this.zoomAt(far(event) / far(last), x, y);
  }

  up(event) {
    if (!this.pointers.delete(event.pointerId) || this.pointers.size) return;
    this.element.classList.remove('drag');
    const click = event.type === 'pointerup' && !this.dragging;
    this.dragging = false;
    if (click && this.ground) this.element.dispatchEvent(new Event('ground'));
  }

  jump(event) {
    const box = this.map.getBoundingClientRect(), scale = Math.max((this.width + 40) / box.width, (this.height + 40) / box.height);
    const x = this.width / 2 + (event.clientX - box.left - box.width / 2) * scale;
    const y = this.height / 2 + (event.clientY - box.top - box.height / 2) * scale;
    this.centre(x, y);
  }

  /** What comes next is glided to; cards glide too where the view is another one. */
  glide(view = this.world.dataset.glide ?? '') {
    if (!this.zoom) return;  // a page opens where it is
    this.world.dataset.glide = view;
    clearTimeout(this.landing);
    this.landing = setTimeout(() => this.halt(), GLIDE);
  }

  halt() { delete this.world.dataset.glide; }

  apply() {
    const { x, y, k } = this;
    this.world.style.transform = `translate(${x}px,${y}px) scale(${k})`;
    const zoom = k < MIDDLE ? 'far' : k < NEAR ? 'middle' : 'near', changed = zoom !== this.zoom;
    if (changed) this.world.dataset.zoom = this.zoom = zoom;
    const whole = this.whole = x >= 0 && y >= 0 && x + this.width * k <= this.across + 1 && y + this.height * k <= this.down + 1;
    this.map.classList.toggle('idle', whole);
    if (this.sight && !whole) {
      const seen = { x: -x / k, y: -y / k, width: this.across / k, height: this.down / k };
      for (const [name, value] of Object.entries(seen)) this.sight.setAttribute(name, value.toFixed(1));
    }
    this.moved(changed ? zoom : null);
  }

  move(dx, dy) { this.x += dx; this.y += dy; this.apply(); }

  zoomAt(by, px, py) {
    const k = Math.min(MOST, Math.max(LEAST, this.k * by)), real = k / this.k;
    this.x = px - (px - this.x) * real;
    this.y = py - (py - this.y) * real;
    this.k = k;
    this.apply();
  }

  zoomBy(by) { this.glide(); this.zoomAt(by, this.across / 2, this.down / 2); }

  centre(x, y, k = this.k) {
    this.k = k;
    this.x = this.across / 2 - x * k;
    this.y = this.down / 2 - y * k;
    this.apply();
  }

  /** Bring a box into sight, if it is not. @param {{x: number, y: number, width: number, height: number}} box */
  reveal({ x, y, width, height }) {
    const left = x * this.k + this.x, top = y * this.k + this.y;
    const right = left + width * this.k, bottom = top + height * this.k;
    if (left < 16 || top < this.top + 8 || right > this.across - 16 || bottom > this.down - 16) { this.glide(); this.centre(x + width / 2, y + height / 2); }
  }

  fit(most = 1.15) {
    this.glide();
    const top = this.top = Math.max(...[...this.element.querySelectorAll('.legend')].map(one => one.offsetHeight), 0), wide = (this.across - 2 * MARGIN) / this.width, high = (this.down - top - 2 * MARGIN) / this.height;
    this.k = Math.max(LEAST, Math.min(wide, high, most));
    this.x = (this.across - this.width * this.k) / 2;
    this.y = top + (this.down - top - this.height * this.k) / 2;
    this.apply();
  }

  /** Draw the map; whoever calls moves the plane then. @param {{x: number, y: number, width: number, height: number}[]} boxes */
  chart(boxes, width, height) {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    setAttr(this.map, 'viewBox', `-20 -20 ${this.width + 40} ${this.height + 40}`);
    this.spots = boxes.map(box => s('rect', { class: 'spot', rx: 6, x: box.x, y: box.y, width: box.width, height: box.height }));
    this.sight = s('rect', { class: 'sight' });
    this.map.replaceChildren(...this.spots, this.sight);
  }
}
