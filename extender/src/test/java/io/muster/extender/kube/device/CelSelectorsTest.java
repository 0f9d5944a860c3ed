package io.muster.extender.kube.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.device.Device;
import io.muster.extender.core.device.DeviceClass;
import io.muster.extender.core.device.Selectors.Verdict;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CelSelectorsTest {

  private static final Device GPU =
      new Device(
          "gpu-0",
          Device.Use.WHOLE,
          false,
          Map.of(
              "type",
              "gpu",
              "index",
              3L,
              "ecc",
              true,
              "driverVersion",
              new Device.Version("570.86.15"),
              "other.example.com/rack",
              "r7"),
          Map.of("memory", "80Gi"));

  private final CelSelectors selectors = new CelSelectors();

  private Verdict verdict(String... expressions) {
    return selectors.verdict(
        new DeviceClass("c", "1", Instant.EPOCH, Optional.empty(), List.of(expressions)),
        "gpu.nvidia.com",
        GPU);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'",
        "device.attributes[\"gpu.nvidia.com\"].index > 2",
        "device.attributes['gpu.nvidia.com'].ecc",
        "device.attributes['other.example.com'].rack == 'r7'",
        "device.attributes['gpu.nvidia.com'].driverVersion.isGreaterThan(semver('570.9.0'))",
        "device.attributes['gpu.nvidia.com'].driverVersion.compareTo(semver('570.86.15')) == 0",
        "device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('79Gi')) > 0",
        "device.capacity['gpu.nvidia.com'].memory.isLessThan(quantity('1Ti'))",
        "'type' in device.attributes['gpu.nvidia.com']",
        "!('type' in device.attributes['nobody.example.com'])",
        "has(device.attributes['gpu.nvidia.com'].type)",
        "cel.bind(a, device.attributes['gpu.nvidia.com'], a.type == 'gpu' && a.index == 3)",
        "device.attributes['gpu.nvidia.com'].type.matches('^g.u$')",
        "['gpu', 'mig'].exists(t, t == device.attributes['gpu.nvidia.com'].type)",
        "device.attributes['gpu.nvidia.com'].type.lowerAscii().startsWith('gp')",
        "!device.allowMultipleAllocations",
        "sets.contains(['gpu', 'mig'], [device.attributes['gpu.nvidia.com'].type])",
        "device.attributes['gpu.nvidia.com'].?type.orValue('') == 'gpu'",
        "!device.attributes[?'nobody.example.com'].?type.hasValue()",
        "device.attributes['gpu.nvidia.com'].?profile.orValue('none') == 'none'"
      })
  void meets(String expression) {
    assertThat(verdict(expression)).isEqualTo(new Verdict.Meets());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "device.driver == 'nic.example.com'",
        "device.attributes['gpu.nvidia.com'].type == 'mig'",
        "device.capacity['gpu.nvidia.com'].memory.isGreaterThan(quantity('80Gi'))",
        "device.attributes['gpu.nvidia.com'].driverVersion.isLessThan(semver('570.86.15'))",
        "has(device.attributes['gpu.nvidia.com'].profile)"
      })
  void differs(String expression) {
    assertThat(verdict(expression)).isEqualTo(new Verdict.Differs());
  }

  /** kube-scheduler fails there as well, or Muster does not know what it would find. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "device.",
        "device.attributes['gpu.nvidia.com'].profile == 'x'",
        "device.attributes['nobody.example.com'].type == 'gpu'",
        "device.driver.isSorted()",
        "device.attributes['gpu.nvidia.com'].type.isGreaterThan(quantity('1'))",
        "quantity('x').isGreaterThan(quantity('1'))"
      })
  void isUnknown(String expression) {
    assertThat(verdict(expression))
        .isInstanceOfSatisfying(
            Verdict.Unknown.class, unknown -> assertThat(unknown.why()).startsWith("a selector "));
  }

  @Test
  void allSelectorsOfAClassMustHold() {
    assertThat(verdict("true", "false")).isEqualTo(new Verdict.Differs());
  }

  @Test
  void anotherVersionOfAClassIsReadAnew() {
    assertThat(verdict("true")).isEqualTo(new Verdict.Meets());
    var changed = new DeviceClass("c", "2", Instant.EPOCH, Optional.empty(), List.of("false"));
    assertThat(selectors.verdict(changed, "d", GPU)).isEqualTo(new Verdict.Differs());
  }

  @Test
  void aClassThatIsForgottenIsReadAnew() {
    assertThat(verdict("true")).isEqualTo(new Verdict.Meets());
    selectors.forget("c");
    assertThat(verdict("false")).isEqualTo(new Verdict.Differs());
  }

  @Test
  void aLoopThatTakesTooLongIsUnknown() {
    var list = "[" + "0,".repeat(99) + "0]";
    assertThat(verdict("%s.all(a, %s.all(b, %s.all(c, c == 0)))".formatted(list, list, list)))
        .isInstanceOf(Verdict.Unknown.class);
  }
}
