package io.muster.controller.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import org.junit.jupiter.api.Test;

final class NamingTest {

  @Test
  void lettersAreAnotherFiveForEachIndexAndRole() {
    var names = new HashSet<String>();
    for (int first : new int[] {0, 10_000, 14_000_000}) {
      var naming = new Naming.Lettered(-7, first);
      for (int index = 0; index < 10_000; index++) {
        assertThat(names.add(naming.name("j-collector", index))).isTrue();
      }
    }
    assertThat(names)
        .allMatch(name -> name.matches("j-collector-[bcdfghjklmnpqrstvwxz2456789]{5}"));
  }

  @Test
  void anotherJobHasOtherNames() {
    assertThat(new Naming.Lettered(1, 0).name("j", 0))
        .isNotEqualTo(new Naming.Lettered(2, 0).name("j", 0))
        .isEqualTo(new Naming.Lettered(1, 0).name("j", 0));
  }
}
