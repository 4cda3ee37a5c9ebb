// The view: figures, contacts with their forces and cones, joints, trails.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { contactsAt } from "./decode.js";
import { figureObject, roundness } from "./solids.js";

function palette() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => new THREE.Color(style.getPropertyValue(name).trim() || "#888888");
  return {
    paper: colour("--paper"), ink: colour("--ink"), soft: colour("--soft"), rule: colour("--rule"),
    stick: colour("--stick"), slip: colour("--slip"), moving: colour("--c5"), driven: colour("--c1"), trail: colour("--c3"),
  };
}

// The box that all figures and their way through the run lie in.
function bounds(run) {
  const box = new THREE.Box3();
  const width = run.drawing.dimension === 2 ? 3 : 7;
  const unbounded = (f) => f.solids.some((s) => s.solid === "half_plane" || s.solid === "half_space");
  const reach = (f) => Math.max(0, ...f.solids.map((s) => radius(s.solid) + Math.hypot(...s.position)));
  for (const figure of run.drawing.figures) {
    if (unbounded(figure)) continue;
    const r = reach(figure);
    const grow = (x, y, z) => {
      if (![x, y, z].every(Number.isFinite)) return;
      box.expandByPoint(new THREE.Vector3(x - r, y - r, z - r));
      box.expandByPoint(new THREE.Vector3(x + r, y + r, z + r));
    };
    const flat = run.poses[figure.name];
    const at = (p) => grow(p[0], p[1], width === 3 ? 0 : p[2]);
    // a fixed wall may be far larger than what moves
    if (!flat) { if (figure.motion !== "fixed" || run.drawing.figures.length < 3) at(figure.pose); continue; }
    for (let i = 0; i < flat.length; i += width * Math.max(1, Math.floor(flat.length / width / 500))) at(flat.subarray(i, i + width));
  }
  if (box.isEmpty()) for (const f of run.drawing.figures) box.expandByPoint(new THREE.Vector3(f.pose[0], f.pose[1], width === 3 ? 0 : f.pose[2]));
  return box;
}

function radius(solid) {
  if (typeof solid === "string") return 0;
  const s = Object.values(solid)[0];
  if (s.vertices) return Math.max(...s.vertices.map((v) => Math.hypot(...v)));
  return Math.hypot(...[s.radius, s.height, s.half, s.semi_axes].flat().filter((x) => x !== undefined));
}

// Points of the line that a spring is drawn with.
const COIL = 160;

export class Stage {
  constructor(element, run) {
    this.run = run;
    this.flat = run.drawing.dimension === 2;
    this.width = this.flat ? 3 : 7;
    this.options = { forces: true, cones: false, trails: false, joints: true, scale: 1 };
    this.renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    element.append(this.renderer.domElement);
    this.element = element;
    this.scene = new THREE.Scene();
    const box = bounds(run);
    this.centre = box.getCenter(new THREE.Vector3());
    this.size = Math.max(1e-9, box.getSize(new THREE.Vector3()).length());
    this.makeCamera();
    this.paint();
    new ResizeObserver(() => this.resize()).observe(element);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.paint());
    this.resize();
  }

  makeCamera() {
    const d = this.size;
    if (this.flat) {
      this.camera = new THREE.OrthographicCamera(-d, d, d, -d, -100 * d, 100 * d);
      this.camera.position.copy(this.centre).add(new THREE.Vector3(0, 0, d));
    } else {
      this.camera = new THREE.PerspectiveCamera(40, 1, 1e-3 * d, 100 * d);
      this.camera.up.set(0, 0, 1);
      this.camera.position.copy(this.centre).add(new THREE.Vector3(0.55, -1.15, 0.6).multiplyScalar(d));
    }
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.target.copy(this.centre);
    this.controls.enableRotate = !this.flat;
    // in the plane a drag with any button moves the picture
    if (this.flat) this.controls.mouseButtons.LEFT = THREE.MOUSE.PAN;
    if (this.flat) this.controls.touches.ONE = THREE.TOUCH.PAN;
    this.controls.addEventListener("change", () => this.render());
    this.controls.update();
    this.home = this.camera.position.clone();
  }

  reset() {
    this.camera.position.copy(this.home);
    this.camera.zoom = 1;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(this.centre);
    this.controls.update();
    this.render();
  }

  // Builds everything in the colours of the page.
  paint() {
    const c = (this.colours = palette());
    this.scene.clear();
    this.scene.background = c.paper;
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8a8f98, 2.2));
    const sun = new THREE.DirectionalLight(0xffffff, 1.6);
    sun.position.set(0.4, -0.7, 1).multiplyScalar(this.size);
    this.scene.add(sun);
    const solid = (colour) => new THREE.MeshStandardMaterial({ color: colour, roughness: 0.75, side: THREE.DoubleSide });
    const materials = {
      fixed: solid(c.soft.clone().lerp(c.paper, 0.45)), moving: solid(c.moving), driven: solid(c.driven),
      ground: new THREE.MeshStandardMaterial({ color: c.soft.clone().lerp(c.paper, 0.6), roughness: 1, side: THREE.DoubleSide, transparent: true, opacity: 0.7 }),
      line: new THREE.LineBasicMaterial({ color: c.soft }), mark: new THREE.LineBasicMaterial({ color: c.ink }), ink: c.ink,
    };
    const round = roundness(this.run.drawing.figures.reduce((n, f) => n + f.solids.length, 0));
    const looks = { size: this.size, round, materials, geometries: new Map() };
    this.figures = this.run.drawing.figures.map((figure) => {
      const object = figureObject(figure, looks);
      this.place(object, figure.pose);
      this.scene.add(object);
      return { figure, object, poses: this.run.poses[figure.name] };
    });
    this.joints = this.run.drawing.joints.map((joint) => {
      const mark = new THREE.Mesh(new THREE.TorusGeometry(0.012 * this.size, 0.003 * this.size, 12, 32), new THREE.MeshBasicMaterial({ color: c.ink }));
      this.scene.add(mark);
      return { joint, mark };
    });
    this.rods(materials.mark);
    this.springs = (this.run.drawing.springs ?? []).map((spring) => this.springObject(spring, materials.mark));
    this.bars = this.run.drawing.joints.filter((j) => j.kind === "distance").map((joint) => {
      const line = new THREE.Line(new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]), materials.mark);
      line.frustumCulled = false;
      this.scene.add(line);
      return { joint, line };
    });
    const dot = (colour) => new THREE.MeshBasicMaterial({ color: colour, depthTest: false });
    this.dots = { geometry: new THREE.SphereGeometry(0.008 * this.size, 16, 12), stick: dot(c.stick), slip: dot(c.slip) };
    this.overlay = new THREE.Group();
    this.scene.add(this.overlay);
    this.trails = this.figures.filter((f) => f.poses && f.figure.motion !== "fixed").slice(0, 50).map((f) => {
      const points = [];
      for (let i = 0; i < f.poses.length; i += this.width) points.push(new THREE.Vector3(f.poses[i], f.poses[i + 1], this.flat ? 0.02 * this.size : f.poses[i + 2]));
      const line = new THREE.Line(new THREE.BufferGeometry().setFromPoints(points), new THREE.LineBasicMaterial({ color: c.trail }));
      this.scene.add(line);
      return line;
    });
    this.forceScale = this.largestForce();
    if (this.frame !== undefined) this.show(this.frame);
  }

  // Bodies without a shape as rods from their joints and springs to their centres of mass.
  rods(material) {
    for (const { between, anchors } of [...this.run.drawing.joints, ...(this.run.drawing.springs ?? [])]) {
      between.forEach((body, side) => {
        if (body === null || !this.figures[body].figure.solids.every((s) => s.solid === "point")) return;
        const ends = [new THREE.Vector3(...anchors[side]), new THREE.Vector3()];
        // in the plane above the plates, which would hide it
        if (this.flat) ends.forEach((p) => { p.z = 0.015 * this.size; });
        this.figures[body].object.add(new THREE.Line(new THREE.BufferGeometry().setFromPoints(ends), material));
      });
    }
  }

  // A coil between two points, a spiral about a joint, or the line and cylinder of a damper.
  springObject(spring, material) {
    const points = Array.from({ length: COIL + 1 }, () => new THREE.Vector3());
    if (spring.kind === "torsion") {
      points.forEach((p, i) => {
        const [s, angle] = [i / COIL, (5 * Math.PI * i) / COIL];
        p.set(Math.cos(angle), Math.sin(angle), 0).multiplyScalar((0.005 + 0.018 * s) * this.size);
      });
    }
    const object = new THREE.Line(new THREE.BufferGeometry().setFromPoints(points), material);
    object.frustumCulled = false;
    object.userData.spring = spring.name;
    if (spring.kind === "damper") {
      const r = 0.008 * this.size;
      object.add(new THREE.Mesh(new THREE.CylinderGeometry(r, r, 1, 24), new THREE.MeshBasicMaterial({ color: this.colours.ink })));
    }
    this.scene.add(object);
    return { spring, object };
  }

  // Where a side of a joint or a spring is attached, in the world.
  attached({ between, anchors }, side) {
    const p = new THREE.Vector3(...anchors[side]);
    if (between[side] !== null) this.figures[between[side]].object.localToWorld(p);
    if (this.flat) p.z = 0.02 * this.size;
    return p;
  }

  showSprings() {
    for (const { joint, line } of this.bars) line.geometry.setFromPoints([0, 1].map((side) => this.attached(joint, side)));
    for (const { spring, object } of this.springs) {
      const [a, b] = [0, 1].map((side) => this.attached(spring, side));
      if (spring.kind === "torsion") {
        object.position.copy(b);
        const body = spring.between[1];
        const axis = spring.axis && new THREE.Vector3(...spring.axis);
        if (axis && body !== null) axis.transformDirection(this.figures[body].object.matrixWorld);
        if (axis && !this.flat) object.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), axis);
        continue;
      }
      const along = b.clone().sub(a);
      const across = this.flat ? new THREE.Vector3(-along.y, along.x, 0) : new THREE.Vector3(0, 0, 1).cross(along);
      if (across.lengthSq() < 1e-12 * along.lengthSq()) across.set(1, 0, 0);
      across.normalize();
      const other = along.clone().cross(across).normalize();
      const radius = spring.kind === "damper" ? 0 : 0.012 * this.size;
      const points = Array.from({ length: COIL + 1 }, (_, i) => {
        const s = i / COIL;
        // straight ends, a tenth of the length each
        const coil = Math.min(1, Math.max(0, (s - 0.1) / 0.8));
        const inside = coil > 0 && coil < 1 ? radius : 0;
        const p = a.clone().addScaledVector(along, s).addScaledVector(across, radius * Math.sin(16 * Math.PI * coil));
        return this.flat ? p : p.addScaledVector(other, inside * Math.cos(16 * Math.PI * coil));
      });
      object.geometry.setFromPoints(points);
      const [cylinder] = object.children;
      if (cylinder) {
        cylinder.position.copy(a).addScaledVector(along, 0.5);
        cylinder.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), along.clone().normalize());
        cylinder.scale.y = 0.24 * along.length();
      }
    }
  }

  // Arrows of a typical large force are a fifth of the scene long: impacts would dwarf all others, so not the largest.
  largestForce() {
    const all = [];
    for (let i = 0; i < this.run.contacts.length; i += 13) all.push(Math.abs(this.run.contacts[i + 8]));
    all.sort((a, b) => a - b);
    const typical = all[Math.floor(0.9 * (all.length - 1))] || all[all.length - 1] || 1;
    return typical > 0 ? (0.2 * this.size) / typical : 0;
  }

  place(object, pose) {
    if (this.flat) {
      object.position.set(pose[0], pose[1], 0);
      object.rotation.set(0, 0, pose[2]);
    } else {
      object.position.set(pose[0], pose[1], pose[2]);
      object.quaternion.set(pose[4], pose[5], pose[6], pose[3]);
    }
  }

  // Shows a frame of the run.
  show(frame) {
    this.frame = frame;
    for (const { object, poses } of this.figures) {
      if (poses) this.place(object, poses.subarray(frame * this.width, (frame + 1) * this.width));
    }
    this.scene.updateMatrixWorld(true);
    this.showSprings();
    for (const { joint, mark } of this.joints) {
      const body = joint.between[1] ?? joint.between[0];
      const anchor = new THREE.Vector3(...joint.anchors[joint.between[1] === null ? 0 : 1]);
      mark.position.copy(body === null ? anchor : this.figures[body].object.localToWorld(anchor));
      if (this.flat) mark.position.z = 0.02 * this.size;
      const axis = joint.axis && body !== null ? new THREE.Vector3(...joint.axis).transformDirection(this.figures[body].object.matrixWorld) : new THREE.Vector3(0, 0, 1);
      mark.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.flat ? new THREE.Vector3(0, 0, 1) : axis);
      mark.visible = this.options.joints;
    }
    this.trails.forEach((line) => {
      line.visible = this.options.trails;
      line.geometry.setDrawRange(0, frame + 1);
    });
    this.showContacts(contactsAt(this.run, frame));
    this.render();
  }

  showContacts(contacts) {
    for (const child of [...this.overlay.children]) {
      this.overlay.remove(child);
      // what dots and arrows are made of is shared, and stays with the graphics card
      child.traverse((o) => {
        if (child.userData.own) o.geometry?.dispose();
        if (!child.userData.label) o.material?.dispose?.();
      });
    }
    const lift = this.flat ? 0.03 * this.size : 0;
    for (const contact of contacts) {
      const colour = this.colours[contact.mode];
      const p = new THREE.Vector3(...contact.point);
      p.z += lift;
      const dot = new THREE.Mesh(this.dots.geometry, this.dots[contact.mode]);
      dot.renderOrder = 2;
      dot.userData.label = contact.label;
      dot.position.copy(p);
      this.overlay.add(dot);
      const n = new THREE.Vector3(...contact.normal);
      const force = n.clone().multiplyScalar(contact.force).add(new THREE.Vector3(...contact.friction));
      const length = force.length() * this.forceScale * this.options.scale;
      if (this.options.forces && length > 1e-3 * this.size) {
        const most = Math.min(length, 3 * this.size);
        const head = Math.min(0.3 * most, 0.03 * this.size);
        const arrow = new THREE.ArrowHelper(force.clone().normalize(), p, most, colour, head, 0.6 * head);
        arrow.userData.force = force.length();
        arrow.traverse((o) => { if (o.material) o.material.depthTest = false; o.renderOrder = 2; });
        this.overlay.add(arrow);
      }
      if (this.options.cones && contact.coefficient > 0) this.overlay.add(this.cone(p, n, contact, colour));
    }
  }

  // The friction cone about the normal; in the plane the wedge between its edges.
  cone(p, n, contact, colour) {
    const height = 0.15 * this.size * this.options.scale;
    const base = height * contact.coefficient;
    const material = new THREE.MeshBasicMaterial({ color: colour, transparent: true, opacity: 0.22, side: THREE.DoubleSide, depthWrite: false });
    let cone;
    if (this.flat) {
      const wedge = new THREE.Shape([new THREE.Vector2(0, 0), new THREE.Vector2(-base, height), new THREE.Vector2(base, height)]);
      cone = new THREE.Mesh(new THREE.ShapeGeometry(wedge), material);
    } else {
      cone = new THREE.Mesh(new THREE.ConeGeometry(base, height, 48, 1, true).rotateX(Math.PI).translate(0, height / 2, 0), material);
    }
    cone.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), n);
    cone.position.copy(p);
    cone.userData.own = true;
    return cone;
  }

  resize() {
    const w = Math.max(1, this.element.clientWidth);
    const h = Math.max(1, this.element.clientHeight);
    this.renderer.setSize(w, h);
    if (this.flat) {
      // the whole motion in view, whatever the window's shape
      const box = 0.62 * this.size;
      const aspect = w / h;
      const [x, y] = aspect > 1 ? [box * aspect, box] : [box, box / aspect];
      Object.assign(this.camera, { left: -x, right: x, top: y, bottom: -y });
    } else {
      this.camera.aspect = w / h;
    }
    this.camera.updateProjectionMatrix();
    this.render();
  }

  render() {
    this.renderer.render(this.scene, this.camera);
  }
}
