package io.muster.extender.core.gang.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Terms;
import java.util.HashMap;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

final class DialectDetectorProperties {

  private final DialectDetector recogniser = new DialectDetector();

  @Property
  void answersAnyMarkings(
      @ForAll("entries") Map<String, String> labels,
      @ForAll("entries") Map<String, String> annotations) {
    var membership = recogniser.recognise(new Markings("ml", labels, annotations));

    membership.ifPresent(found -> {
      assertThat(found.gang().name()).isNotEmpty();
      assertThat(found.index()).isGreaterThanOrEqualTo(-1);
      if (found.terms() instanceof Terms.Usable usable) {
        assertThat(usable.groups()).contains(found.gang().toString()).hasSizeBetween(1, 32);
      }
    });
  }

  @Property
  void sameMarkingsGiveTheSameAnswer(
      @ForAll("entries") Map<String, String> labels,
      @ForAll("entries") Map<String, String> annotations) {
    var markings = new Markings("ml", labels, annotations);

    assertThat(recogniser.recognise(markings)).isEqualTo(new DialectDetector().recognise(markings));
  }

  @Property
  void theStampOfWhatWasRecognisedChangesNothing(
      @ForAll("entries") Map<String, String> labels,
      @ForAll("entries") Map<String, String> annotations) {
    var first = recogniser.recognise(new Markings("ml", labels, annotations));
    if (first.isPresent()) {
      var stamped = new HashMap<>(annotations);
      stamped.put(GangKeys.DIALECT, first.get().gang().dialect().label());

      assertThat(recogniser.recognise(new Markings("ml", labels, stamped))).isEqualTo(first);
    }
  }

  @Provide
  Arbitrary<Map<String, String>> entries() {
    var koordinator =
        Arbitraries.of(
                "name",
                "min-available",
                "total-number",
                "waiting-time",
                "mode",
                "groups",
                "match-policy",
                "network-topology-index")
            .map(key -> "gang.scheduling.koordinator.sh/" + key);
    var podGroup =
        Arbitraries.of("", "/name", "/min-available", "/match-policy")
            .map(key -> "pod-group.scheduling.sigs.k8s.io" + key);
    var own =
        Arbitraries.of(
                "name",
                "min",
                "total",
                "timeout",
                "mode",
                "groups",
                "match-policy",
                "index",
                "dialect")
            .map(key -> "muster.io/gang-" + key);
    var job = Arbitraries.of("batch.kubernetes.io/job-completion-index", "app");
    var values =
        Arbitraries.oneOf(
            Arbitraries.of(
                "a",
                "b",
                "4",
                "+4",
                "-1",
                "0",
                "5000",
                "2147483648",
                "4.0",
                "1h30m",
                "Strict",
                "NonStrict",
                "only-waiting",
                "[\"ml/a\"]",
                "[\"ml/a\",\"ml/b\"]",
                "[]",
                "[",
                "muster",
                "koordinator"),
            Arbitraries.strings().ofMaxLength(40));
    return Arbitraries.maps(Arbitraries.oneOf(koordinator, podGroup, own, job), values)
        .ofMaxSize(12);
  }
}
