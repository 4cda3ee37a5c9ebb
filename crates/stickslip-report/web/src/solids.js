// Solids as three.js objects, with their true curved shapes.
import * as THREE from "three";

// Segments of a full circle: fewer where there is much to draw, so that a pile of a thousand balls still moves.
export function roundness(solids) {
  return solids < 40 ? 64 : solids < 400 ? 32 : 16;
}

function plate(shape, depth, round) {
  const geometry = new THREE.ExtrudeGeometry(shape, { depth, bevelEnabled: false, curveSegments: round });
  geometry.translate(0, 0, -depth / 2);
  return geometry;
}

function outline(vertices) {
  return new THREE.Shape(vertices.map(([x, y]) => new THREE.Vector2(x, y)));
}

// |x/a|^n + |y/b|^n + |z/c|^n = 1, by pushing a sphere's points onto it.
function superEllipsoid([a, b, c], n, round) {
  const geometry = new THREE.SphereGeometry(1, round, round / 2);
  const p = geometry.attributes.position;
  for (let i = 0; i < p.count; i++) {
    const [x, y, z] = [p.getX(i), p.getY(i), p.getZ(i)];
    const r = (Math.abs(x) ** n + Math.abs(y) ** n + Math.abs(z) ** n) ** (-1 / n);
    p.setXYZ(i, a * r * x, b * r * y, c * r * z);
  }
  geometry.computeVertexNormals();
  return geometry;
}

function stadium(radius, half) {
  const shape = new THREE.Shape();
  shape.absarc(half, 0, radius, -Math.PI / 2, Math.PI / 2, false);
  shape.absarc(-half, 0, radius, Math.PI / 2, (3 * Math.PI) / 2, false);
  shape.closePath();
  return shape;
}

function disc(radius) {
  const shape = new THREE.Shape();
  shape.absarc(0, 0, radius, 0, 2 * Math.PI, false);
  return shape;
}

// `size` is the extent of the scene, m: what is unbounded or has no size is drawn in proportion to it.
function geometryOf(solid, size, round) {
  const thin = 0.02 * size;
  if (solid === "point") return new THREE.SphereGeometry(0.012 * size, 24, 16);
  if (solid === "half_plane") return new THREE.BoxGeometry(20 * size, size, thin).translate(0, -size / 2, 0);
  if (solid === "half_space") return new THREE.PlaneGeometry(6 * size, 6 * size);
  const [kind] = Object.keys(solid);
  const s = solid[kind];
  switch (kind) {
    case "disc": return plate(disc(s.radius), thin, round);
    case "rectangle": return new THREE.BoxGeometry(2 * s.half[0], 2 * s.half[1], thin);
    case "stadium": return plate(stadium(s.radius, s.half), thin, round);
    case "polygon": return plate(outline(s.vertices), thin, round);
    case "sphere": return new THREE.SphereGeometry(s.radius, round, round / 2);
    case "box": return new THREE.BoxGeometry(2 * s.half[0], 2 * s.half[1], 2 * s.half[2]);
    case "capsule": return new THREE.CapsuleGeometry(s.radius, 2 * s.half, 24, round).rotateX(Math.PI / 2);
    case "cylinder": return new THREE.CylinderGeometry(s.radius, s.radius, 2 * s.half, round).rotateX(Math.PI / 2);
    case "cone":
      return new THREE.ConeGeometry(s.radius, s.height, round).rotateX(Math.PI / 2).translate(0, 0, s.height / 4);
    case "ellipsoid": return new THREE.SphereGeometry(1, round, round / 2).scale(...s.semi_axes);
    case "super_ellipsoid": return superEllipsoid(s.semi_axes, s.exponent, round);
    case "mesh": {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.Float32BufferAttribute(s.vertices.flat(), 3));
      geometry.setIndex(s.triangles.flat());
      const flat = geometry.toNonIndexed();
      flat.computeVertexNormals();
      return flat;
    }
    default: return null;
  }
}

// A round solid shows that it turns by a line from its centre to its rim.
function spoke(solid, size, colour) {
  const radius = solid.disc?.radius ?? solid.sphere?.radius;
  if (!radius) return null;
  const z = solid.disc ? 0.011 * size : 0;
  const points = [new THREE.Vector3(0, 0, z), new THREE.Vector3(radius * (solid.sphere ? 1.002 : 1), 0, z)];
  const ring = new THREE.EllipseCurve(0, 0, radius * 1.002, radius * 1.002).getPoints(64).map((p) => new THREE.Vector3(p.x, p.y, 0));
  const geometry = new THREE.BufferGeometry().setFromPoints(solid.sphere ? ring : points);
  return new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: colour }));
}

// The object of a figure. Materials are shared, so that a pile of a thousand balls stays light.
export function figureObject(figure, { size, round, materials, geometries }) {
  const group = new THREE.Group();
  group.name = figure.name;
  const material = materials[figure.motion];
  for (const placed of figure.solids) {
    let object;
    if (placed.solid.polyline) {
      const points = placed.solid.polyline.vertices.map(([x, y]) => new THREE.Vector3(x, y, 0));
      object = new THREE.Line(new THREE.BufferGeometry().setFromPoints(points), materials.line);
    } else {
      const key = JSON.stringify(placed.solid);
      if (!geometries.has(key)) geometries.set(key, geometryOf(placed.solid, size, round));
      const geometry = geometries.get(key);
      if (!geometry) continue;
      object = new THREE.Mesh(geometry, placed.solid === "half_space" ? materials.ground : material);
      // other parts show how the whole is turned
      const mark = figure.solids.length === 1 && spoke(placed.solid, size, materials.ink);
      if (mark) object.add(mark);
    }
    object.position.set(...placed.position);
    const [w, x, y, z] = placed.orientation;
    object.quaternion.set(x, y, z, w);
    group.add(object);
  }
  if (figure.belt) group.add(beltMark(figure, size, materials));
  return group;
}

// Stripes on what has a moving surface.
function beltMark(figure, size, materials) {
  const group = new THREE.Group();
  const planar = figure.pose.length === 3;
  for (let i = -8; i <= 8; i++) {
    const x = 0.12 * size * i;
    const ends = planar
      ? [new THREE.Vector3(x, 0, 0.012 * size), new THREE.Vector3(x - 0.04 * size, -0.04 * size, 0.012 * size)]
      : [new THREE.Vector3(x, -size / 2, 0.001 * size), new THREE.Vector3(x, size / 2, 0.001 * size)];
    group.add(new THREE.Line(new THREE.BufferGeometry().setFromPoints(ends), materials.mark));
  }
  return group;
}
