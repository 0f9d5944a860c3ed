package io.muster.extender.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.informers.cache.Store;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.kube.convert.PodConverter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class PodReadingTest {

  private static final String FAULTY = "faulty";

  private final Map<String, Pod> stored = new ConcurrentHashMap<>();

  /** Names and versions of pods as they were told, and names of those that went. */
  private final List<String> told = Collections.synchronizedList(new ArrayList<>());

  private PodReading reading;

  @BeforeEach
  void open() {
    reading =
        new PodReading(
            new PodMemory(new PodConverter(new DialectDetector())),
            new Told(),
            event -> told.add("gone " + ((Event.PodGone) event).pod().name()));
    @SuppressWarnings("unchecked")
    Store<Pod> store = mock(Store.class);
    when(store.getByKey(any())).thenAnswer(call -> stored.get(call.<String>getArgument(0)));
    reading.from(store);
  }

  private final class Told implements PodReading.Followers {

    @Override
    public void reading(Pod pod) {
      if (pod.getMetadata().getName().equals(FAULTY)) {
        throw new IllegalArgumentException("what a tenant may create");
      }
    }

    @Override
    public void read(Pod pod, io.muster.extender.core.cluster.Pod meaning) {
      told.add(meaning.key().name() + " " + pod.getMetadata().getResourceVersion());
    }

    @Override
    public void leaving(PodKey key) {
      // Nothing to leave.
    }

    @Override
    public void gone(PodKey key) {
      // Told already.
    }
  }

  @Test
  void onlyWhatIsStillThereIsReadAgain() {
    reading.again(List.of(key("w")));
    stored.put("ml/w", pod("w", "another", 3));
    reading.again(List.of(key("w")));
    assertThat(told).isEmpty();
  }

  @Test
  void aStateBeforeTheOneThatWasReadIsPassedOver() {
    reading.seen(pod("w", "w", 3));
    stored.put("ml/w", pod("w", "w", 5));
    reading.again(List.of(key("w")));
    reading.changed(pod("w", "w", 3), labelled("w", 4));
    assertThat(told).containsExactly("w 3", "w 5");
    reading.changed(labelled("w", 4), labelled("w", 6));
    reading.changed(labelled("w", 6), pod("w", "w", 7));
    assertThat(told).contains("w 7").doesNotContain("w 4");
  }

  /** A template is nothing that it has; from here on its claim says what it asks for. */
  @Test
  void aPodIsReadAgainWhenItsStatusNamesItsClaim() {
    var before = pod("w", "w", 1);
    reading.seen(before);
    reading.changed(before, pod("w", "w", 2));
    reading.changed(
        before,
        new PodBuilder(pod("w", "w", 3))
            .withNewStatus()
            .addNewResourceClaimStatus("d", "made")
            .endStatus()
            .build());
    assertThat(told).containsExactly("w 1", "w 3");
  }

  @Test
  void aFaultWithOneDoesNotKeepOthersFromBeingRead() {
    stored.put("ml/" + FAULTY, pod(FAULTY, FAULTY, 1));
    stored.put("ml/w", pod("w", "w", 1));
    reading.again(List.of(key(FAULTY), key("w")));
    assertThat(told).containsExactly("w 1");
  }

  @Test
  void nothingIsToldOfAPodAfterItHasGone() throws Exception {
    try (var other = Executors.newSingleThreadExecutor()) {
      for (int i = 0; i < 2_000; i++) {
        var name = "w" + i;
        stored.put("ml/" + name, pod(name, name, 2));
        reading.seen(pod(name, name, 1));
        var again = other.submit(() -> reading.again(List.of(key(name))));
        // As the watch does: first from where it stands, then it is told.
        reading.gone(stored.remove("ml/" + name));
        again.get();
        assertThat(told.getLast()).isEqualTo("gone " + name);
      }
    }
  }

  private static PodKey key(String name) {
    return new PodKey("ml", name, name);
  }

  private static Pod labelled(String name, int version) {
    return new PodBuilder(pod(name, name, version))
        .editMetadata()
        .addToLabels("version", "v" + version)
        .endMetadata()
        .build();
  }

  private static Pod pod(String name, String uid, int version) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace("ml")
        .withName(name)
        .withUid(uid)
        .withResourceVersion("" + version)
        .endMetadata()
        .withNewSpec()
        .endSpec()
        .build();
  }
}
