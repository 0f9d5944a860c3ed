package io.muster.extender.core.decision.burst;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What kube-scheduler has said about the members since a reservation was made. */
final class ReservationTest {

  @Test
  void aNewReservationKnowsNothingOfWhatWasSaidAboutTheLast() {
    var reservation = new Reservation();
    reservation.begin(false, Instant.EPOCH);
    reservation.asked("m-0");
    assertThat(reservation.wasAsked("m-0")).isTrue();
    reservation.rejected("m-0", Instant.EPOCH);

    var later = Instant.EPOCH.plusSeconds(60);
    reservation.clear();
    reservation.begin(false, later);

    assertThat(reservation.wasAsked("m-0")).isFalse();
    assertThat(reservation.wasAnyAsked()).isFalse();
    assertThat(reservation.rejectedSince("m-0")).isEmpty();
    reservation.rejected("m-0", later);
    assertThat(reservation.rejectedSince("m-0")).contains(later);
  }

  @Test
  void whatWasSaidLastOfAMemberHolds() {
    var reservation = new Reservation();
    reservation.begin(false, Instant.EPOCH);
    reservation.asked("m-0");
    reservation.rejected("m-0", Instant.EPOCH);
    assertThat(reservation.wasAsked("m-0")).isFalse();

    reservation.asked("m-0");
    assertThat(reservation.wasAsked("m-0")).isTrue();
    assertThat(reservation.rejectedSince("m-0")).isEmpty();
  }
}
