package io.muster.extender.kube.device;

import io.muster.extender.core.device.Device;
import io.muster.extender.core.device.Selectors.Verdict;

/** One expression, made ready. Fails for no device: what cannot be evaluated is unknown. */
interface DevicePredicate {

  Verdict test(String driver, Device device);
}
