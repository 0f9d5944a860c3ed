/** Who is asked and what is refused, on a real control plane. */
package io.muster.admission;
