package io.muster.extender.kube.device;

import io.muster.extender.core.device.Device;
import io.muster.extender.core.device.DeviceClass;
import io.muster.extender.core.device.Selectors;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Evaluates CEL selectors, of classes as of requests. The library is loaded with the first
 * expression: a cluster without selectors pays nothing. Programs are kept by class, until another
 * version of it comes or it is forgotten. Not safe for concurrent use.
 */
public final class CelSelectors implements Selectors {

  private record Compiled(String version, List<DevicePredicate> predicates) {}

  private final Map<String, Compiled> ofClasses = new HashMap<>();
  private Optional<CelEngine> engine = Optional.empty();

  @Override
  public Verdict verdict(DeviceClass deviceClass, String driver, Device device) {
    var known = ofClasses.get(deviceClass.name());
    if (known == null || !known.version().equals(deviceClass.version())) {
      known =
          new Compiled(
              deviceClass.version(),
              deviceClass.selectors().stream().map(it -> engine().compile(it)).toList());
      ofClasses.put(deviceClass.name(), known);
    }
    for (var predicate : known.predicates()) {
      var verdict = predicate.test(driver, device);
      if (!(verdict instanceof Verdict.Meets)) {
        return verdict;
      }
    }
    return new Verdict.Meets();
  }

  @Override
  public void forget(String deviceClass) {
    ofClasses.remove(deviceClass);
  }

  private CelEngine engine() {
    if (engine.isEmpty()) {
      engine = Optional.of(new CelEngine());
    }
    return engine.get();
  }
}
