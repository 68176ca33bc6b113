import { suiteNeeding } from '../suites.ts';
import { assets, ControlPlane, type ControlPlaneOptions } from './control-plane.ts';

/** Tests that need the folder KUBEBUILDER_ASSETS, which holds etcd and kube-apiserver. */
export const END_TO_END = { group: 'end to end', isMet: assets !== '' };

/** A suite on a control plane of its own; left out where there are no programs for one. */
export function onControlPlane(
  title: string,
  options: ControlPlaneOptions,
  suite: (plane: () => ControlPlane) => void,
): void {
  suiteNeeding(END_TO_END, `${title}, on a real control plane`, function () {
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
