/**
 * The kind TrainingJob of group paddlepaddle.org as users write it and as the API server stores it.
 *
 * <p>Wire types: a field that is absent in JSON is null in Java, and nowhere else in Muster.
 * Whatever the API server has let in can be read; what is wrong with it is said by {@link
 * io.muster.controller.kinds.paddle.api.PaddleValidation}.
 */
package io.muster.controller.kinds.paddle.api;
