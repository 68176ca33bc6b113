import { assets, ControlPlane, type ControlPlaneOptions } from './control-plane.ts';

/** Says once that these tests are not there. */
let isSaid = false;

/**
 * A suite on a control plane of its own. Without the folder of its programs it is not defined, and a line on standard
 * error says so.
 */
export function onControlPlane(
  title: string,
  options: ControlPlaneOptions,
  suite: (plane: () => ControlPlane) => void,
): void {
  if (assets === '') {
    if (!isSaid)
      process.stderr.write(
        'end-to-end tests are left out: KUBEBUILDER_ASSETS names no folder with etcd and kube-apiserver\n',
      );
    isSaid = true;
    return;
  }
  describe(`${title}, on a real control plane`, function () {
    this.timeout(60_000);
    let plane: ControlPlane | undefined;
    before(async () => {
      plane = await ControlPlane.start(options);
    });
    after(() => plane?.stop());
    suite(() => {
      if (!plane) throw new Error('the control plane did not start');
      return plane;
    });
  });
}
