package io.muster.controller.kinds.di.server.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.controller.kinds.di.api.DIJob;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class JobIdTest {

  private static final Set<String> JOBS = Set.of("ml/a", "ml/a.b", "ml/c", "ml/d.7");

  private static Optional<DIJob> job(String namespace, String name) {
    if (!JOBS.contains(namespace + "/" + name)) {
      return Optional.empty();
    }
    var job = new DIJob();
    job.getMetadata().setNamespace(namespace);
    job.getMetadata().setName(name);
    return Optional.of(job);
  }

  @ParameterizedTest
  @CsvSource({
    "ml.a, a",
    "ml.a.b, a.b",
    "ml%2Fa.b, a.b",
    "ml/a, a",
    "ml.c.0, c",
    "ml.d.7, d.7",
    "ml.a.b.0, a.b",
  })
  void theFirstDotDividesAndAGenerationIsLeftOut(String id, String name) {
    assertThat(JobId.find(id, JobIdTest::job).getMetadata().getName()).isEqualTo(name);
  }

  @Test
  void anotherGenerationIsRefused() {
    assertThatThrownBy(() -> JobId.find("ml.c.3", JobIdTest::job))
        .isInstanceOfSatisfying(
            RefusedException.class, refusal -> assertThat(refusal.status()).isEqualTo(400))
        .hasMessageContaining("DIJob ml/c has generation 0, not 3");
  }

  @Test
  void aJobThatThereIsNotIsNotFound() {
    assertThatThrownBy(() -> JobId.find("ml.x", JobIdTest::job))
        .isInstanceOfSatisfying(
            RefusedException.class, refusal -> assertThat(refusal.status()).isEqualTo(404));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"ml", "", ".", "ml.", ".a", "ml/../a", "ML.a", "%zz", "ml.a%00", "ml/a/b"})
  void whatIsNoIdIsSaidToBeNone(String id) {
    assertThatThrownBy(() -> JobId.find(id, JobIdTest::job))
        .isInstanceOfSatisfying(
            RefusedException.class, refusal -> assertThat(refusal.status()).isEqualTo(400))
        .hasMessageContaining("must be namespace.name");
  }
}
